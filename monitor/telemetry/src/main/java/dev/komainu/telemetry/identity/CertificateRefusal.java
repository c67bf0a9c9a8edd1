package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A response that refuses a part's certificate (401).
 *
 * @param problem type of the problem, such as {@code certificate-revoked}
 * @param text what happened and what to do, in one sentence each
 */
public record CertificateRefusal(String problem, String text) {

    private static final String TYPES = "urn:komainu:problem:";

    /**
     * Reads a refusal.
     *
     * @param directory files of the identity
     * @return null when the response has no such type
     */
    static @Nullable CertificateRefusal of(String body, Path directory) {
        String problem = problem(body);
        String again = ". To enrol again, stop this part, remove " + directory
                + ", and start it with a new code (central.enrolment-code)";
        String what = switch (problem) {
            case "certificate-revoked" ->
                "The central service has revoked the certificate of this part";
            case "certificate-expired" -> "The certificate of this part has expired";
            case "certificate-superseded" ->
                "Another process uses a newer certificate of this part's identity; two"
                        + " hosts must not share copies of " + directory;
            case "certificate-unknown" ->
                "The central service does not know the certificate of this part";
            default -> null;
        };
        return what == null ? null : new CertificateRefusal(problem, what + detail(body) + again);
    }

    private static String detail(String body) {
        try {
            String detail = FlatJson.parse(body).textOrAbsent("detail");
            return detail == null ? "" : ": " + detail.replaceFirst("[.\\s]+$", "");
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns the type of a problem (RFC 9457) without its common beginning; "" for none. */
    static String problem(String body) {
        try {
            String type = FlatJson.parse(body).textOrAbsent("type");
            return type != null && type.startsWith(TYPES) ? type.substring(TYPES.length()) : "";
        } catch (IOException e) {
            return "";
        }
    }
}
