package dev.komainu.central.audit.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that contains a token on its first line that is neither blank nor a comment. */
final class BearerTokenFile {

    private BearerTokenFile() {}

    static String firstLine(Path file) throws VerifyOptions.MisuseException {
        try {
            return Files.readString(file, StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .findFirst()
                    .orElseThrow(() -> new VerifyOptions.MisuseException(
                            "--token-file: " + file + " (expected: a token)"));
        } catch (IOException e) {
            throw new VerifyOptions.MisuseException(
                    "--token-file: " + file + " (expected: a readable file)");
        }
    }
}
