package dev.komainu.proxy.tls;

import java.util.List;

/** Why a certificate cannot be used. */
final class IdentityFault extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    /** @param problems each as "name: value (expected …)" */
    IdentityFault(List<String> problems) {
        super(String.join("; ", problems));
        this.problems = List.copyOf(problems);
    }

    IdentityFault(String problem) {
        this(List.of(problem));
    }

    List<String> problems() {
        return problems;
    }
}
