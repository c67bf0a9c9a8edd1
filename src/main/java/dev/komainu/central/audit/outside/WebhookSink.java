package dev.komainu.central.audit.outside;

import dev.komainu.central.alert.notify.DeliveryOutcome;
import dev.komainu.central.alert.notify.SignedWebhook;
import dev.komainu.central.audit.AuditEntry;
import dev.komainu.central.audit.EntryJson;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * A webhook that gets each entry: {@code {"kind":"audit","entry":{…},"signature":"…"}}, signed with
 * HMAC like notices of alerts. One thread.
 */
final class WebhookSink implements AuditSink {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final SignedWebhook webhook;
    private final URI address;
    private final Clock clock;

    WebhookSink(URI address, String secret, Duration timeout, Clock clock) {
        this.webhook = new SignedWebhook(address, secret, timeout);
        this.address = address;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "webhook";
    }

    @Override
    public String place() {
        return address.toString().replaceFirst("^(https?://[^/?#]*).*$", "$1/…");
    }

    @Override
    public void send(AuditEntry entry, String signature) throws IOException, RefusedEntryException {
        byte[] body = JSON.writeValueAsBytes(
                Map.of("kind", "audit", "entry", EntryJson.fields(entry), "signature", signature));
        DeliveryOutcome outcome = webhook.send("audit-" + entry.sequence(), body, clock.instant());
        if (!outcome.delivered()) {
            if (outcome.worthRetry()) {
                throw new IOException(outcome.text());
            }
            throw new RefusedEntryException(outcome.text());
        }
    }

    @Override
    public void close() {
        // Each post has a connection of the client's pool, which ends by itself.
    }
}
