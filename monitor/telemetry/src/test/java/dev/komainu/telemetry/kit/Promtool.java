package dev.komainu.telemetry.kit;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Prometheus' own check of a metrics page: {@code promtool check metrics}. */
public final class Promtool {

    private Promtool() {}

    /**
     * Returns the complaints about a page in Prometheus' text format: syntax and the rules for
     * names. Skips the test where promtool is not installed.
     */
    public static String complaints(String page) throws IOException, InterruptedException {
        Process promtool = new ProcessBuilder(
                        Program.need("promtool").toString(), "check", "metrics")
                .redirectErrorStream(true)
                .start();
        try (OutputStream input = promtool.getOutputStream()) {
            input.write(page.getBytes(StandardCharsets.UTF_8));
        }
        String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return promtool.waitFor() == 0 ? said : said + "exit code " + promtool.exitValue();
    }
}
