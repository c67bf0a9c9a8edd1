package dev.komainu.central.alert.notify;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A webhook to one address, posted and signed like those of receivers, for senders other than
 * alerts. Any thread.
 */
public final class SignedWebhook {

    private final WebhookPost post;
    private final URI address;
    private final String secret;

    /**
     * Creates a webhook to an address of the settings: the account that sets it has the rights of
     * this process, so every address of its host is permitted.
     */
    public SignedWebhook(URI address, String secret, Duration timeout) {
        String host = address.getHost();
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        this.post = new WebhookPost(new ReceiverGuard(List.of(bare), () -> 0), timeout);
        this.address = address;
        this.secret = secret;
    }

    /**
     * Posts JSON. Blocks until the response or a timeout.
     *
     * @param delivery id, the same for each attempt
     */
    public DeliveryOutcome send(String delivery, byte[] json, Instant now) {
        return post.send(
                address.toString(),
                Map.of(
                        Signature.HEADER,
                        Signature.of(secret, now, json),
                        "Komainu-Delivery",
                        delivery),
                json);
    }
}
