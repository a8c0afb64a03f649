import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.HttpServer;
import events.Converter;
import java.net.InetSocketAddress;
import java.util.HashSet;

public class Arrivals {
  public static void main(String[] arguments) throws Exception {
    var webhook = new Webhook(System.getenv("WEBHOOK_SECRET"));
    var server = HttpServer.create(new InetSocketAddress(Integer.parseInt(System.getenv("PORT"))), 0);
    // By parcel, not by event: a parcel may be delivered twice, or move to another return. In production: a table.
    var booked = new HashSet<String>();
    server.createContext("/hook", exchange -> {
      var body = new String(exchange.getRequestBody().readAllBytes(), "UTF-8");
      try {
        webhook.verify(body, exchange.getRequestHeaders());
        var event = new ObjectMapper().readTree(body);
        var data = event.get("data");
        var parcel = event.get("source").asText() + "/" + data.at("/object/id");
        if (data.at("/object/status").asText().equals("DELIVERED") && !booked.contains(parcel)) {
          for (var item : Converter.ShipmentCreatedDataFromJsonString(data.toString()).getItems())
            System.out.println(Converter.ShipmentItemToJsonString(item));
          booked.add(parcel);
        }
        exchange.sendResponseHeaders(204, -1);
      } catch (WebhookVerificationException unsigned) { exchange.sendResponseHeaders(401, -1); }
    });
    server.start();
  }
}
