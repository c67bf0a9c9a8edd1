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
            @RequestHeader(name = "Last-Event-ID", required = false) @Nullable String lastEventId,
            @RequestHeader(name = "Authorization", required = false) @Nullable String authorization,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        Set<String> wanted = checked(topics);
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
                    subscribe(caller, wanted, lastEventId, authorization, response);
                } finally {
                    seats.leave(caller.name());
                }
            }
        }
    }

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
            Caller caller,
            Set<String> topics,
            @Nullable String lastEventId,
            @Nullable String authorization,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        Subscription subscription = hub.subscribe(topics, lastEventId)
                .orElseThrow(() -> tooMany(
                        hub.clients() + " (komainu.stream.clients: " + settings.clients() + ")"));
        try {
            response.setContentType("text/event-stream;charset=UTF-8");
            response.setHeader("Cache-Control", "no-store");
            response.setHeader(
                    "X-Accel-Buffering", "no"); // nginx and similar proxies must not buffer frames
            OutputStream out = response.getOutputStream();
            out.write(RETRY);
            response.flushBuffer();
            StreamPace pace = new StreamPace(settings.heartbeat(), System::nanoTime);
            while (!subscription.ended()) {
                byte[] frame = subscription.next(pace.patience());
                if (subscription.ended()) {
                    return;
                }
                // After a logout or a password change, a stream in another tab must end, too.
                if (pace.checkDue()
                        && !recheck.stillAllowed(caller, authorization, Scope.METRICS_READ)) {
                    refusals.count(Refusal.STREAM_LOGIN_ENDED);
                    return;
                }
                if (frame != null || pace.heartbeatDue()) {
                    out.write(frame == null ? HEARTBEAT : frame);
                    response.flushBuffer();
                    pace.written();
                }
            }
        } finally {
            hub.leave(subscription);
        }
    }

    private static Set<String> checked(List<String> topics) {
        for (String topic : topics) {
            boolean known = topic.equals("overview")
                    || topic.equals("changes")
                    || topic.equals("alerts")
                    || topic.equals("verifications")
                    || topic.equals("orders")
                    || (topic.startsWith("service:") && topic.length() > "service:".length());
            if (!known) {
                throw ProblemException.invalidField(
                        "topics",
                        topic,
                        "overview, changes, alerts, verifications, orders or service:ID");
            }
        }
        if (topics.isEmpty() || topics.size() > MOST_TOPICS) {
            throw ProblemException.invalidField(
                    "topics", topics.size() + " topics", "1 to " + MOST_TOPICS);
        }
        return new LinkedHashSet<>(topics);
    }
}
