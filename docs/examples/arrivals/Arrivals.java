import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.HttpServer;
import events.Converter;
import java.net.InetSocketAddress;

public class Arrivals {
  public static void main(String[] arguments) throws Exception {
    var webhook = new Webhook(System.getenv("WEBHOOK_SECRET"));
    var server = HttpServer.create(new InetSocketAddress(Integer.parseInt(System.getenv("PORT"))), 0);
    server.createContext("/hook", exchange -> {
      var body = new String(exchange.getRequestBody().readAllBytes(), "UTF-8");
      try {
        webhook.verify(body, exchange.getRequestHeaders());
        var data = new ObjectMapper().readTree(body).get("data");
        if (data.at("/object/status").asText().equals("DELIVERED"))
          for (var item : Converter.ShipmentCreatedDataFromJsonString(data.toString()).getItems())
            System.out.println(Converter.ShipmentItemToJsonString(item));
        exchange.sendResponseHeaders(204, -1);
      } catch (WebhookVerificationException unsigned) { exchange.sendResponseHeaders(401, -1); }
    });
    server.start();
  }
}
