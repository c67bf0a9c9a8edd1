package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The enrolment of a part with a code: the request of a certificate for its key (POST
 * /api/v1/enrolments). Within the life of the code, the same request with the same key can be
 * repeated when its response was lost. One thread.
 */
final class Enrolment {

    private static final String PATH = "/api/v1/enrolments";
    private static final String CONTEXT = "komainu-enrolment";

    private final CentralRoute route;
    private final EnrolmentCode code;
    private final PartNames names;
    private final Supplier<List<String>> addresses;
    private final Clock clock;
    private final PartKey key;
    private final SSLSocketFactory sockets;

    /**
     * Prepares an enrolment.
     *
     * @param route to the central service
     * @param key key of the part, which is on the disk already
     * @param addresses returns the addresses of this host
     */
    Enrolment(
            CentralRoute route,
            EnrolmentCode code,
            PartKey key,
            PartNames names,
            Supplier<List<String>> addresses,
            Clock clock) {
        this.route = route;
        this.code = code;
        this.key = key;
        this.names = names;
        this.addresses = addresses;
        this.clock = clock;
        this.sockets =
                TlsContext.of(null, new PinnedTrust(code.fingerprint(), clock)).getSocketFactory();
    }

    /** The result of an attempt. */
    sealed interface Result {

        /** The central service has issued a certificate. */
        record Enrolled(IssuedIdentity issued) implements Result {}

        /**
         * Another attempt may succeed.
         *
         * @param after shortest wait that the central service asks for; zero: none
         */
        record Later(String reason, Duration after) implements Result {}
    }

    /**
     * Sends the request once.
     *
     * @throws EnrolmentException when another attempt would fail, too
     */
    Result attempt() throws EnrolmentException {
        CentralCalls.Response response;
        try {
            response = CentralCalls.post(route, PATH, request(), sockets, this::words);
        } catch (CentralUnansweredException e) {
            if (e.isLasting()) {
                throw new EnrolmentException(
                        "no address was trusted, nothing was sent: " + e.getMessage(), e);
            }
            return new Result.Later(String.valueOf(e.getMessage()), e.after());
        } catch (IOException e) {
            URI central = route.inUse();
            UntrustedServerException untrusted = UntrustedServerException.in(e);
            if (untrusted != null && untrusted.isLasting()) {
                throw new EnrolmentException(
                        central + " was not trusted, nothing was sent: " + untrusted.getMessage(),
                        e);
            }
            return new Result.Later(words(central, e), Duration.ZERO);
        }
        URI central = response.central();
        int status = response.status();
        if (status == 200 || status == 201) {
            try {
                return new Result.Enrolled(IssuedIdentity.read(
                        response.body(), central, code.fingerprint(), key, names.source(), clock));
            } catch (IOException e) {
                throw new EnrolmentException(
                        "the response of " + central + " is not one to an enrolment: "
                                + e.getMessage(),
                        e);
            }
        }
        if (status == 408 || status == 429 || status >= 500) {
            return new Result.Later(response.detail(), response.after());
        }
        throw new EnrolmentException(
                "refused by " + central + ": " + response.detail() + expected(response.problem())
                        + differenceTo(response.date()),
                null);
    }

    /** Returns why the request to an address failed. */
    private String words(URI central, IOException e) {
        UntrustedServerException untrusted = UntrustedServerException.in(e);
        if (untrusted == null) {
            return e.toString();
        }
        String text = String.valueOf(untrusted.getMessage());
        return untrusted.isLasting() ? text : withClocks(central, text);
    }

    /** Adds the difference of the clocks to the text about a certificate that is not valid now. */
    private String withClocks(URI central, String text) {
        String clocks = CentralClock.difference(
                central,
                chain -> Arrays.stream(chain)
                        .filter(each -> EnrolmentCode.fingerprint(each).equals(code.fingerprint()))
                        .toList(),
                clock);
        return clocks == null ? text : text + ". " + clocks;
    }

    private String differenceTo(@Nullable Instant central) {
        String clocks = central == null ? null : ClockHint.between(clock.instant(), central);
        return clocks == null ? "" : ". " + clocks;
    }

    private String request() {
        String open = key.openText();
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("secret", code.secret());
        request.put("kind", names.kind().text());
        request.put("source", names.source());
        if (names.node() != null) {
            request.put("node", names.node());
        }
        request.put("addresses", addresses.get());
        request.put("publicKey", open);
        request.put("proof", key.proof(CONTEXT, code.secret(), names.source(), open));
        return new FlatJson(request).line();
    }

    private String expected(String problem) {
        return switch (problem) {
            case "enrolment-code-unknown", "enrolment-code-expired", "enrolment-code-used" ->
                " (" + problem + "; expected: a new code from the console or from"
                        + " ./komainu enrol on the host of the central service)";
            case "enrolment-outside-code" ->
                " (" + problem + "; expected: a code for " + names.kind().text() + ", host "
                        + names.node() + " and its addresses)";
            case "source-taken" ->
                " (" + problem + "; expected: a code that names the host " + names.node()
                        + " and so replaces the part that was enrolled before)";
            case "" -> " (expected: a central service that enrols parts)";
            default -> " (" + problem + ")";
        };
    }
}
