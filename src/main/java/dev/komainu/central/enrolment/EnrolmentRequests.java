package dev.komainu.central.enrolment;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.access.RequestFiles;
import dev.komainu.settings.Cidr;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests for enrolment codes by files: {@code ./komainu enrol} creates
 * {@code enrol/NAME.request} in the data directory, and this class replaces it by
 * {@code enrol/NAME.code}, or by {@code enrol/NAME.refused} with the mistakes.
 *
 * <p>A request has a line for each value: {@code kind=agent}, {@code node=web-01},
 * {@code network=192.0.2.0/24}, {@code uses=1}, {@code minutes=10}, {@code address=HOST:PORT}. The
 * request {@code left} is answered by {@code enrol/NAME.left}: the sources that still report with
 * the shared token.
 */
public final class EnrolmentRequests extends RequestFiles {

    private static final int MOST_BYTES = 4_096;

    private final int port;
    private final EnrolmentCodes codes;
    private final EnrolmentService enrolment;
    private final Audit audit;
    private final Supplier<List<String>> left;

    /**
     * Creates the reader of requests; {@link #start} begins it.
     *
     * @param port port of this service in codes whose request names no address
     * @param left returns the sources that report with the shared token
     */
    public EnrolmentRequests(
            Path directory,
            int port,
            EnrolmentCodes codes,
            EnrolmentService enrolment,
            Audit audit,
            Supplier<List<String>> left) {
        super(directory, "enrolment-requests");
        this.port = port;
        this.codes = codes;
        this.enrolment = enrolment;
        this.audit = audit;
        this.left = left;
    }

    @Override
    protected String content(Path request) throws IOException {
        return Files.size(request) > MOST_BYTES
                ? ""
                : new String(Files.readAllBytes(request), StandardCharsets.UTF_8);
    }

    @Override
    protected void answer(String name, String text) throws IOException {
        if (!name.matches("[0-9A-Za-z-]{1,64}")) {
            return;
        }
        if (text.strip().equals("left")) {
            write(name + ".left", String.join("\n", left.get()));
            return;
        }
        try {
            write(name + ".code", code(Request.read(text)));
        } catch (EnrolmentRefusedException | IllegalArgumentException e) {
            write(name + ".refused", String.valueOf(e.getMessage()));
        }
    }

    private void write(String name, String content) throws IOException {
        PrivateFiles.replace(file(name), (content + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private String code(Request request) throws EnrolmentRefusedException {
        enrolment.checkPossible();
        EnrolmentCodes.Created created = codes.create(request.limits(), "system");
        audit.done(
                new Caller(
                        "system", Caller.Kind.TOKEN, Set.of(), null, AuditOrigin.SELF, null, null),
                "enrolment-code.create",
                created.code().id(),
                null,
                "by ./komainu enrol, until " + created.code().expires());
        return enrolment.text(
                created,
                request.address() == null
                        ? EnrolmentAddress.of("localhost", port)
                        : request.address());
    }

    /** A request as its file says it. */
    private record Request(
            EnrolmentCodes.Limits limits, @Nullable String address) {

        /** Reads a request. An IllegalArgumentException names what was wrong and expected. */
        static Request read(String text) {
            List<PartKind> kinds = new ArrayList<>();
            List<Cidr> networks = new ArrayList<>();
            String node = null;
            String address = null;
            int uses = 1;
            int minutes = EnrolmentCodes.DEFAULT_MINUTES;
            for (String line : text.lines().filter(each -> !each.isBlank()).toList()) {
                int equals = line.indexOf('=');
                String value = line.substring(equals + 1).strip();
                switch (equals < 0 ? "" : line.substring(0, equals)) {
                    case "kind" -> kinds.add(kind(value));
                    case "network" -> networks.add(network(value));
                    case "node" -> node = value;
                    case "address" -> address = value;
                    case "uses" -> uses = number("--uses", value, EnrolmentCodes.MOST_USES);
                    case "minutes" ->
                        minutes = number("--minutes", value, EnrolmentCodes.MOST_MINUTES);
                    default -> throw new IllegalArgumentException(line + " (unknown)");
                }
            }
            if (kinds.isEmpty()) {
                throw new IllegalArgumentException(
                        "--kind: none (expected: one or several of " + PartKind.choices() + ")");
            }
            return new Request(
                    new EnrolmentCodes.Limits(
                            kinds, node, networks, uses, Duration.ofMinutes(minutes)),
                    address);
        }

        private static PartKind kind(String value) {
            Optional<PartKind> kind = PartKind.of(value);
            return kind.orElseThrow(() -> new IllegalArgumentException(
                    "--kind: " + value + " (expected: one of " + PartKind.choices() + ")"));
        }

        private static Cidr network(String value) {
            if (!ReportingBounds.isBlock(value)) {
                throw new IllegalArgumentException(
                        "--network: " + value + " (expected: " + ReportingBounds.BLOCK + ")");
            }
            return Cidr.parse(value);
        }

        private static int number(String option, String value, int most) {
            if (value.matches("[0-9]{1,4}")
                    && Integer.parseInt(value) >= 1
                    && Integer.parseInt(value) <= most) {
                return Integer.parseInt(value);
            }
            throw new IllegalArgumentException(
                    option + ": " + value + " (expected: 1 to " + most + ")");
        }
    }
}
