package dev.komainu.central.oidc;

/** The refusal of a login at the provider. */
public final class LoginRefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final LoginRefusal refusal;

    LoginRefusedException(LoginRefusal refusal) {
        super(refusal.text());
        this.refusal = refusal;
    }

    public LoginRefusal refusal() {
        return refusal;
    }
}
