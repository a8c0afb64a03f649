// Judges events by patterns. Each line of the input is {"pattern": …, "event": …}. The answer to each is a line: true,
// false, or why the pattern is invalid.
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import software.amazon.event.ruler.Machine;

class Judge {
  public static void main(String[] args) throws Exception {
    var json = new ObjectMapper();
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = input.readLine()) != null; ) {
      var pair = json.readTree(line);
      System.out.println(judge(pair.get("pattern").toString(), pair.get("event").toString()));
    }
  }

  private static String judge(String pattern, String event) throws Exception {
    var machine = new Machine();
    try {
      machine.addRule("pattern", pattern);
    } catch (IOException invalid) {
      return invalid.getMessage().lines().findFirst().orElse("invalid");
    }
    return String.valueOf(!machine.rulesForJSONEvent(event).isEmpty());
  }
}
