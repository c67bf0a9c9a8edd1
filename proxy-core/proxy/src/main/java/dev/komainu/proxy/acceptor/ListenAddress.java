package dev.komainu.proxy.acceptor;

import dev.komainu.proxy.tls.Certificates;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * An address on which the proxy listens.
 *
 * @param name the setting that defines it
 * @param certificates the certificates for TLS; null for plain connections
 */
public record ListenAddress(
        String name, InetSocketAddress address, @Nullable Certificates certificates) {}
