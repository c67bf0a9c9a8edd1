package dev.komainu.intermediary.control;

import dev.komainu.telemetry.identity.PartIdentity;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS of a control endpoint, with the key and certificate of the part's identity. New
 * connections use a renewed certificate. Any thread.
 */
final class ControlTls {

    private static final Logger LOG = LoggerFactory.getLogger(ControlTls.class);
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private final PartIdentity identity;
    private volatile @Nullable SslContext context;

    private ControlTls(PartIdentity identity) {
        this.identity = identity;
    }

    /**
     * Returns the TLS of an endpoint; null: clear text, which is told unless the address is
     * loopback.
     *
     * @param identity absent: this part has none
     * @throws IOException when TLS is required and there is no identity
     */
    static @Nullable ControlTls of(ControlSettings settings, @Nullable PartIdentity identity)
            throws IOException {
        boolean isLoopback = settings.listen().getAddress().isLoopbackAddress();
        if (settings.tls() == ControlTlsMode.ALWAYS && identity == null) {
            throw new IOException(
                    "control.tls: always (expected: an identity, which --enrol CODE" + " gets)");
        }
        if (identity != null && isEncrypted(settings.tls(), isLoopback)) {
            ControlTls tls = new ControlTls(identity);
            tls.refresh();
            identity.onRenewed(tls::refresh);
            return tls;
        }
        if (!isLoopback) {
            LOG.warn(
                    "The control endpoint at {} is in clear text: tokens can be read on the network"
                            + " ({})",
                    text(settings.listen()),
                    settings.tls() == ControlTlsMode.OFF
                            ? "control.tls: off"
                            : "expected: an identity, which --enrol CODE gets, or control.tls: off");
        }
        return null;
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** Reports whether a part with an identity uses TLS at an address. */
    static boolean isEncrypted(ControlTlsMode mode, boolean isLoopback) {
        return switch (mode) {
            case AUTO -> !isLoopback;
            case ALWAYS -> true;
            case OFF -> false;
        };
    }

    private void refresh() {
        try {
            context = SslContextBuilder.forServer(identity.keyManager())
                    .sslProvider(SslProvider.JDK)
                    .protocols(PROTOCOLS)
                    .build();
        } catch (IOException e) {
            LOG.warn(
                    "The control endpoint accepts no connections without a certificate: {}",
                    e.getMessage());
        }
    }

    /** Returns the handler of a connection; null: there is no certificate yet. */
    @Nullable
    SslHandler handler(ByteBufAllocator buffers) {
        SslContext now = context;
        return now == null ? null : now.newHandler(buffers);
    }
}
