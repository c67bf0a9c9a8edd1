package dev.komainu.proxy.tls;

import java.util.List;

/**
 * How TLS towards clients stands.
 *
 * @param engine {@code native} or {@code jdk}
 * @param taken changed files that were taken, since start
 * @param refused changed files that could not be used, once for each reason, since start
 */
public record TlsFigures(String engine, List<Certificate> certificates, long taken, long refused) {

    /**
     * @param name the first host it stands for; its file where it names none
     * @param expiresMillis since the epoch
     */
    public record Certificate(String name, String file, long expiresMillis) {}
}
