package dev.komainu.central.api.stream;

import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Scope;
import dev.komainu.central.api.guard.CallerRecheck;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.limit.Refusal;
import dev.komainu.central.limit.Refusals;
import dev.komainu.central.limit.RequestLimit;
import dev.komainu.central.limit.Seats;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The event stream (HTML Living Standard, section 9.2). Writes block: each request has its own
 * virtual thread, so that a waiting subscriber costs almost nothing.
 */
@RestController
class StreamController {

    private static final int MOST_TOPICS = 64;
    private static final byte[] HEARTBEAT = ": still here\n\n".getBytes(StandardCharsets.US_ASCII);
    /** Time that a browser waits before it reconnects. */
    private static final byte[] RETRY = "retry: 2000\n\n".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] DEFLATED_HEARTBEAT = GzipFrames.deflate(HEARTBEAT);
    private static final byte[] DEFLATED_RETRY = GzipFrames.deflate(RETRY);

    /** The topics without an id of a service. */
    private static final Set<String> PLAIN_TOPICS =
            Set.of("overview", "services", "changes", "alerts", "verifications", "orders");

    private final EventHub hub;
    private final CallerRecheck recheck;
    private final EventStreamSettings settings;
    private final Refusals refusals;
    private final Seats seats;

    StreamController(
            EventHub hub, CallerRecheck recheck, EventStreamSettings settings, Refusals refusals) {
        this.hub = hub;
        this.recheck = recheck;
        this.settings = settings;
        this.refusals = refusals;
        this.seats = new Seats(
                settings.clients(),
                RequestLimit.STREAMS_PER_CALLER.value(),
                RequestLimit.STREAMS_FOR_ADMINISTRATORS.value());
    }

    @GetMapping("/api/v1/stream")
    void stream(
            @AuthenticationPrincipal Caller caller,
            @RequestParam List<String> topics,
            @RequestParam(required = false) @Nullable String version,
            @RequestHeader(name = "Last-Event-ID", required = false) @Nullable String lastEventId,
            @RequestHeader(name = "Accept-Encoding", required = false) @Nullable String accepted,
            @RequestHeader(name = "Authorization", required = false) @Nullable String authorization,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        Wish wish = new Wish(
                checked(topics),
                lastEventId,
                version,
                settings.compress() && acceptsGzip(accepted));
        switch (seats.take(caller.name(), caller.scopes().contains(Scope.ADMIN))) {
            case ALL_TAKEN -> {
                refusals.count(Refusal.STREAMS);
                throw tooMany(hub.clients() + " (komainu.stream.clients: " + settings.clients()
                        + ", " + RequestLimit.STREAMS_FOR_ADMINISTRATORS.value()
                        + " of them for administrators)");
            }
            case CALLERS_TAKEN -> {
                refusals.count(Refusal.STREAMS_PER_CALLER);
                throw tooMany(RequestLimit.STREAMS_PER_CALLER.value() + " of " + caller.name()
                        + " (the limit of one caller)");
            }
            case TAKEN -> {
                try {
                    subscribe(caller, wish, authorization, response);
                } finally {
                    seats.leave(caller.name());
                }
            }
        }
    }

    /**
     * Request of a subscriber.
     *
     * @param lastEventId id of the last event it received
     * @param version version of the services that it holds
     */
    private record Wish(
            Set<String> topics,
            @Nullable String lastEventId,
            @Nullable String version,
            boolean gzip) {}

    private ProblemException tooMany(String subscribers) {
        return new ProblemException(
                Problem.of(
                        503,
                        "too-many-subscribers",
                        "Too many subscribers",
                        "subscribers: " + subscribers),
                Duration.ofSeconds(10));
    }

    private void subscribe(
            Caller caller, Wish wish, @Nullable String authorization, HttpServletResponse response)
            throws IOException, InterruptedException {
        Subscription subscription = hub.subscribe(wish.topics(), wish.lastEventId(), wish.version())
                .orElseThrow(() -> tooMany(
                        hub.clients() + " (komainu.stream.clients: " + settings.clients() + ")"));
        try {
            response.setContentType("text/event-stream;charset=UTF-8");
            // no-transform: a proxy that unpacks and packs again must buffer (RFC 9111 section
            // 5.2.2.6).
            response.setHeader("Cache-Control", "no-store, no-transform");
            response.setHeader("Vary", "Accept-Encoding");
            if (wish.gzip()) {
                response.setHeader("Content-Encoding", "gzip");
            }
            response.setHeader(
                    "X-Accel-Buffering", "no"); // nginx and similar proxies must not buffer frames
            OutputStream out = response.getOutputStream();
            GzipFrames gzip = wish.gzip() ? new GzipFrames(out) : null;
            write(out, gzip, RETRY, DEFLATED_RETRY);
            response.flushBuffer();
            StreamPace pace = new StreamPace(settings.heartbeat(), System::nanoTime);
            while (!subscription.ended()) {
                StreamEvent event = subscription.next(pace.patience());
                if (subscription.ended()) {
                    break;
                }
                // After a logout or a password change, a stream in another tab must end, too.
                if (pace.checkDue()
                        && !recheck.stillAllowed(caller, authorization, Scope.METRICS_READ)) {
                    refusals.count(Refusal.STREAM_LOGIN_ENDED);
                    break;
                }
                if (event != null) {
                    write(out, gzip, event.frame(), gzip == null ? null : event.deflated());
                } else if (pace.heartbeatDue()) {
                    write(out, gzip, HEARTBEAT, DEFLATED_HEARTBEAT);
                } else {
                    continue;
                }
                response.flushBuffer();
                pace.written();
            }
            if (gzip != null) {
                gzip.end();
            }
        } finally {
            hub.leave(subscription);
        }
    }

    private static void write(
            OutputStream out, @Nullable GzipFrames gzip, byte[] frame, byte @Nullable [] deflated)
            throws IOException {
        if (gzip == null || deflated == null) {
            out.write(frame);
        } else {
            gzip.write(frame, deflated);
        }
    }

    /** Reports whether a header Accept-Encoding names gzip (RFC 9110 section 12.5.3). */
    static boolean acceptsGzip(@Nullable String accepted) {
        if (accepted == null) {
            return false;
        }
        for (String coding : accepted.toLowerCase(Locale.ROOT).split(",")) {
            String[] parts = coding.split(";");
            String name = parts[0].trim();
            boolean never = parts.length > 1 && parts[1].trim().matches("q=0(\\.0*)?");
            if (name.equals("gzip") || name.equals("x-gzip")) {
                return !never;
            }
        }
        return false;
    }

    private static Set<String> checked(List<String> topics) {
        for (int i = 0; i < topics.size(); i++) {
            String topic = topics.get(i);
            boolean known = PLAIN_TOPICS.contains(topic)
                    || (topic.startsWith("service:") && topic.length() > "service:".length());
            if (!known) {
                throw ProblemException.invalidField(
                        "topics[" + i + "]",
                        topic,
                        "services, overview, changes, alerts, verifications, orders or service:ID");
            }
        }
        if (topics.isEmpty() || topics.size() > MOST_TOPICS) {
            throw ProblemException.invalidField(
                    "topics", topics.size() + " topics", "1 to " + MOST_TOPICS);
        }
        return new LinkedHashSet<>(topics);
    }
}
