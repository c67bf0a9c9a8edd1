package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The renewal of a part's certificate at two thirds of its life, each time with a new key (POST
 * /api/v1/parts/renewal). The new identity is on the disk before it is used: the central service
 * accepts the old certificate until the new one is used for the first time. One thread.
 */
final class IdentityRenewal {

    private static final Logger LOG = LoggerFactory.getLogger(IdentityRenewal.class);

    private static final String PATH = "/api/v1/parts/renewal";
    private static final String CONTEXT = "komainu-renewal";

    private final PartIdentity identity;
    private final IdentityFiles files;
    private final CentralRoute route;
    private final CentralTls tls;
    private final Clock clock;
    private @Nullable Instant retry;
    private @Nullable String told;

    /**
     * Prepares the renewals.
     *
     * @param route to the central service
     * @param tls TLS with this identity
     */
    IdentityRenewal(
            PartIdentity identity,
            IdentityFiles files,
            CentralRoute route,
            CentralTls tls,
            Clock clock) {
        this.identity = identity;
        this.files = files;
        this.route = route;
        this.tls = tls;
        this.clock = clock;
    }

    /** Renews the certificate if that is due. Returns the time until the next check. */
    Duration run(Identity now) {
        Instant time = clock.instant();
        Instant next = retry == null ? now.renewalDue(time) : retry;
        if (time.isBefore(next)) {
            return Duration.between(time, next);
        }
        try {
            IssuedIdentity issued = renew(now);
            files.write(issued.identity());
            identity.replace(issued);
            retry = null;
            told = null;
            LOG.info(
                    "The certificate of {} was renewed and ends at {}",
                    now.facts().names().source(),
                    issued.identity().ends());
            return Duration.ZERO;
        } catch (IOException e) {
            Duration pause = now.pauseAfterFailure();
            retry = time.plus(pause);
            tell(now, reason(e, now, time), pause);
            return pause;
        }
    }

    private IssuedIdentity renew(Identity now) throws IOException {
        PartKey key = PartKey.create();
        String open = key.openText();
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("publicKey", open);
        request.put("proof", key.proof(CONTEXT, now.facts().part(), open));
        CentralCalls.Response response = CentralCalls.post(
                route, PATH, new FlatJson(request).line(), tls.sockets(), this::words);
        if (response.status() != 200 && response.status() != 201) {
            CertificateRefusal refusal = CertificateRefusal.of(response.body(), files.directory());
            throw new IOException(
                    refusal == null
                            ? "status " + response.status() + ": " + response.detail()
                            : refusal.text());
        }
        return IssuedIdentity.read(
                response.body(),
                now.facts().central(),
                now.facts().fingerprint(),
                key,
                now.facts().names().source(),
                clock);
    }

    private String reason(IOException e, Identity now, Instant time) {
        String text = e instanceof CentralUnansweredException
                ? String.valueOf(e.getMessage())
                : words(route.inUse(), e);
        String hint = PartIdentity.clockHint(now, time);
        return text + (hint == null ? "" : ". " + hint);
    }

    /** Returns why the request to an address failed. */
    private String words(URI central, IOException e) {
        UntrustedServerException untrusted = UntrustedServerException.in(e);
        String text = untrusted == null
                ? String.valueOf(e.getMessage())
                : String.valueOf(untrusted.getMessage());
        String clocks = tls.clockDifference(central, e);
        return text + (clocks == null ? "" : ". " + clocks);
    }

    /** Tells a reason once, until it changes. */
    private void tell(Identity now, String reason, Duration pause) {
        identity.setTrouble("The certificate cannot be renewed: " + reason);
        if (!reason.equals(told)) {
            told = reason;
            LOG.warn(
                    "The certificate of {} ends at {} and could not be renewed; tried again every"
                            + " {} s: {}",
                    now.facts().names().source(),
                    now.ends(),
                    pause.toSeconds(),
                    reason);
        }
    }
}
