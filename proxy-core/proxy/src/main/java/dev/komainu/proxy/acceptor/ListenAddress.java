package dev.komainu.proxy.acceptor;

import dev.komainu.proxy.tls.Certificates;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A way in.
 *
 * @param name the setting it comes from
 * @param certificates of a TLS door; absent where clients speak in the clear
 */
public record ListenAddress(
        String name, InetSocketAddress address, @Nullable Certificates certificates) {}
