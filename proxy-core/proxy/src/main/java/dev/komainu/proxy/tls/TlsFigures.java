package dev.komainu.proxy.tls;

import java.util.List;

/**
 * The figures of TLS with clients.
 *
 * @param engine {@code native} or {@code jdk}
 * @param taken the changed files that were loaded since start
 * @param refused the changed files that could not be used since start, once for each reason
 */
public record TlsFigures(String engine, List<Certificate> certificates, long taken, long refused) {

    /**
     * The figures of one certificate.
     *
     * @param name the first host it is valid for; its file when it names none
     * @param expiresMillis the end of its validity, in epoch milliseconds
     */
    public record Certificate(String name, String file, long expiresMillis) {}
}
