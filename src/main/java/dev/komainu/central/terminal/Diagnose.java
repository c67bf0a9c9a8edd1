package dev.komainu.central.terminal;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The command {@code ./komainu diagnose SERVICE}: prints the flowchart's path with its evidence,
 * and the advice at its leaves.
 *
 * <pre>
 *  exit code  meaning
 *  0          the service is in its normal state
 *  1          another state: saturated, stopped, unreachable, upstream fault, failing, or unknown
 *  2          wrong usage
 *  3          no response: central service not reachable, token refused, unknown service
 * </pre>
 */
public final class Diagnose {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final PrintStream out;
    private final PrintStream err;
    private final Map<String, String> environment;

    Diagnose(PrintStream out, PrintStream err, Map<String, String> environment) {
        this.out = out;
        this.err = err;
        this.environment = environment;
    }

    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
        int code = new Diagnose(out, err, System.getenv()).run(arguments);
        out.flush();
        System.exit(code);
    }

    int run(String... arguments) {
        try {
            DiagnoseOptions options = DiagnoseOptions.of(arguments, environment);
            if (options.help()) {
                out.print(DiagnoseOptions.HELP);
                return 0;
            }
            return run(options);
        } catch (DiagnoseOptions.WrongUsageException e) {
            err.println("diagnose: " + e.getMessage());
            return 2;
        } catch (NoAnswerException e) {
            err.println("diagnose: " + e.getMessage());
            return 3;
        }
    }

    private int run(DiagnoseOptions options) throws NoAnswerException {
        try (HttpClient client =
                HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            String service = URLEncoder.encode(options.service(), StandardCharsets.UTF_8);
            String body = get(client, options, "/api/v1/services/" + service + "/diagnosis");
            JsonNode diagnosis = read(body);
            if (options.json()) {
                out.println(body);
            } else {
                JsonNode flowchart = read(get(client, options, "/api/v1/flowchart"));
                new DiagnosisText(out, options.language()).print(diagnosis, flowchart);
            }
            return diagnosis.path("state").asString("").equals("normal") ? 0 : 1;
        }
    }

    private static JsonNode read(String body) throws NoAnswerException {
        try {
            return JSON.readTree(body);
        } catch (JacksonException e) {
            throw new NoAnswerException("not the central service (expected: a response in JSON)");
        }
    }

    private static String get(HttpClient client, DiagnoseOptions options, String path)
            throws NoAnswerException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(options.central() + path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + options.token())
                .header("Accept", "application/json")
                .build();
        try {
            HttpResponse<String> answer = client.send(
                    request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
            if (answer.statusCode() == 200) {
                return answer.body();
            }
            String title = title(answer.body());
            throw new NoAnswerException(options.central() + ": " + answer.statusCode()
                    + (title == null ? "" : " " + title)
                    + switch (answer.statusCode()) {
                        case 401 -> " (expected: a valid token in --token-file)";
                        case 403 -> " (expected: a token with the scope metrics:read)";
                        default -> "";
                    });
        } catch (IOException e) {
            throw new NoAnswerException(options.central() + ": not reached"
                    + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NoAnswerException("interrupted");
        }
    }

    private static @Nullable String title(String body) {
        try {
            JsonNode problem = JSON.readTree(body);
            String detail = problem.path("detail").asString("");
            return detail.isEmpty() ? problem.path("title").asString("") : detail;
        } catch (JacksonException e) {
            return null;
        }
    }

    /** The reason for a missing diagnosis. */
    static final class NoAnswerException extends Exception {
        private static final long serialVersionUID = 1;

        NoAnswerException(String message) {
            super(message);
        }
    }
}
