package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.Alert;
import dev.komainu.central.alert.Notice;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A sender of webhooks in Alertmanager's format (its documentation, "webhook_config", version "4"),
 * one alert in a group of its own, signed ({@link Signature}).
 */
final class WebhookSender implements NoticeSender {

    /** Alertmanager's notation (the Go zero time) for an alert without an end. */
    private static final String NO_END = "0001-01-01T00:00:00Z";

    private final WebhookPost post;
    private final String console;
    private final JsonMapper json = JsonMapper.builder().build();

    WebhookSender(WebhookPost post, String console) {
        this.post = post;
        this.console = console;
    }

    @Override
    public DeliveryOutcome send(Receiver receiver, Notice notice, String delivery, Instant now) {
        Receiver.Hook hook = Objects.requireNonNull(receiver.hook());
        byte[] body = json.writeValueAsBytes(message(receiver, notice));
        String secret = Objects.requireNonNull(hook.secret());
        return post.send(
                hook.url(),
                Map.of(
                        Signature.HEADER,
                        Signature.of(secret, now, body),
                        "Komainu-Delivery",
                        delivery),
                body);
    }

    Map<String, Object> message(Receiver receiver, Notice notice) {
        NoticeText wording = new NoticeText(receiver.language(), console);
        Alert alert = notice.alert();
        String status = notice.resolved() ? "resolved" : "firing";
        Map<String, String> group = new LinkedHashMap<>();
        group.put("alertname", alert.ruleName());
        group.put(
                switch (alert.kind()) {
                    case SERVICE -> "service";
                    case CLUSTER_PARTED, CLUSTER_CONFLICT, MEMBER_FLAPPING -> "cluster";
                    case SOURCE_SILENT,
                            PROBE_LOSS,
                            RECORD_DROPS,
                            STORE_FULL,
                            DISK_FULL,
                            RECORD_SERVER,
                            QUOTA,
                            CONTROL_MENDED -> "source";
                    case TOKEN_CREATED, FOREIGN_REPORT -> "token";
                    case IDENTITY -> "part";
                },
                alert.subject());
        Map<String, String> labels = new LinkedHashMap<>(group);
        labels.put("kind", alert.kind().text());
        labels.put("severity", alert.severity().text());
        labels.put("state", alert.state());
        Map<String, String> annotations = new LinkedHashMap<>();
        annotations.put("summary", wording.title(notice));
        annotations.put("description", wording.body(notice));

        Map<String, Object> alertFields = new LinkedHashMap<>();
        alertFields.put("status", status);
        alertFields.put("labels", labels);
        alertFields.put("annotations", annotations);
        alertFields.put("startsAt", alert.since().toString());
        alertFields.put("endsAt", end(alert.endedAt()));
        alertFields.put("generatorURL", wording.links(alert).values().iterator().next());
        alertFields.put("fingerprint", alert.fingerprint());

        Map<String, Object> message = new LinkedHashMap<>();
        message.put("version", "4");
        message.put("groupKey", "{}:" + braces(group));
        message.put("truncatedAlerts", 0);
        message.put("status", status);
        message.put("receiver", receiver.name());
        message.put("groupLabels", group);
        message.put("commonLabels", labels);
        message.put("commonAnnotations", annotations);
        message.put("externalURL", console);
        message.put("alerts", List.of(alertFields));
        return message;
    }

    private static String end(@Nullable Instant end) {
        return end == null ? NO_END : end.toString();
    }

    /**
     * Returns a label set in Alertmanager's notation: {@code {alertname="Services",
     * service="web-01:80"}}.
     */
    private static String braces(Map<String, String> labels) {
        StringBuilder text = new StringBuilder("{");
        labels.forEach((name, value) -> text.append(text.length() > 1 ? ", " : "")
                .append(name)
                .append("=\"")
                .append(value.replace("\\", "\\\\").replace("\"", "\\\""))
                .append('"'));
        return text.append('}').toString();
    }
}
