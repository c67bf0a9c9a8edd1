package dev.komainu.central.oidc;

/** The failure of a call to the provider: it does not respond, or not as OpenID Connect says. */
public final class ProviderAwayException extends Exception {

    private static final long serialVersionUID = 1L;

    ProviderAwayException(String message) {
        super(message);
    }

    ProviderAwayException(String message, Throwable cause) {
        super(message, cause);
    }
}
