package dev.komainu.central.oidc;

import java.util.Locale;

/** The reason why a login at the provider opened no session. The console has a text for each. */
public enum LoginRefusal {
    /** The provider does not respond, or not as OpenID Connect says. */
    PROVIDER_AWAY,
    /** The provider refused, or the user cancelled. */
    PROVIDER_REFUSED,
    /** The answer belongs to no login of this browser, or came too late, or for the second time. */
    EXPIRED,
    /** The provider's token is not valid for this login. */
    TOKEN,
    /** No group of the user has a role here. */
    NO_GROUP,
    /** The name belongs to another user. */
    NAME_TAKEN,
    /** The provider names no user, or with a name that cannot be used here. */
    NAME,
    /**
     * Another user logged in than the session's, or the provider did not ask for the login again.
     */
    OTHER_USER,
    /** Too many attempts of this network. */
    TOO_MANY;

    /** Returns the name in addresses of the console and in the audit log. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
