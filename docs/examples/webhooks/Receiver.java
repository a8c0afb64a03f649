// javac Receiver.java && java Receiver, with Java 17 or later and nothing else
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
  private static final byte[] SECRET =
      Base64.getDecoder().decode(System.getenv("WEBHOOK_SECRET").replaceFirst("^whsec_", ""));
  private static final String PORT = System.getenv().getOrDefault("PORT", "3000");
  private static final int BODY_LIMIT = 1_100_000;
  /** The envelope comes before the data, in which a text's quotation marks are escaped. */
  private static final Pattern SHIPMENT = Pattern.compile("\"subject\":\"[^\"]*/shipments/(\\d+)\"");
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  /** In production: a table, written in the same transaction as the effect. */
  private static final Set<String> HANDLED = new HashSet<>();

  public static void main(String[] arguments) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(PORT)), 0);
    server.createContext("/hook", Receiver::receive);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.start();
  }

  private static void receive(HttpExchange exchange) throws IOException {
    int status = 500;
    try {
      status = answer(exchange);
    } catch (Exception failure) {
      failure.printStackTrace();
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private static int answer(HttpExchange exchange) throws Exception {
    byte[] body = exchange.getRequestBody().readNBytes(BODY_LIMIT + 1);
    if (body.length > BODY_LIMIT) return 413;
    String id = exchange.getRequestHeaders().getFirst("webhook-id");
    String timestamp = exchange.getRequestHeaders().getFirst("webhook-timestamp");
    String signatures = exchange.getRequestHeaders().getFirst("webhook-signature");
    if (id == null || timestamp == null || signatures == null) return 401;
    if (!isFresh(timestamp) || !isSigned(id, timestamp, body, signatures)) return 401;
    // An id is <source>_<generation>_<return>_<number>. The feed's own events, such as a test, are of no return.
    if (id.split("_")[2].equals("feed")) return 204;
    handleOnce(id, body);
    return 204;
  }

  private static boolean isFresh(String timestamp) {
    if (!timestamp.matches("\\d{1,12}")) return false;
    return Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) <= 300;
  }

  private static boolean isSigned(String id, String timestamp, byte[] body, String signatures)
      throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes());
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
    boolean found = false;
    for (String signature : signatures.split(" "))
      found |= MessageDigest.isEqual(expected, signature.getBytes());
    return found;
  }

  /** One event at a time, so that two of one return are never handled at once. */
  private static synchronized void handleOnce(String id, byte[] body) throws Exception {
    if (HANDLED.contains(id)) return;
    bookArrival(id, body);
    HANDLED.add(id);
  }

  /**
   * Passes the event on as it came; Java reads no JSON without a library. The parcel is the key, not the event: a parcel
   * may be delivered twice, or move to another return.
   */
  private static void bookArrival(String id, byte[] body) throws Exception {
    Matcher shipment = SHIPMENT.matcher(new String(body, StandardCharsets.UTF_8));
    if (!shipment.find()) throw new IOException("The event is of no shipment: give the webhook its filter.");
    String parcel = "/sources/" + id.split("_")[0] + "/arrivals/" + shipment.group(1);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(System.getenv("WMS_URL") + parcel))
            .timeout(Duration.ofSeconds(10))
            .PUT(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    int status = CLIENT.send(request, BodyHandlers.discarding()).statusCode();
    if (status >= 300) throw new IOException("The warehouse system answered " + status + ".");
  }
}
