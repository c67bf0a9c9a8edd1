package dev.komainu.proxy.tls;

import java.util.List;

/** The problems of a certificate that cannot be used. */
final class IdentityFault extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    /**
     * Creates the exception.
     *
     * @param problems the problems, each as "name: value (expected …)"
     */
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
