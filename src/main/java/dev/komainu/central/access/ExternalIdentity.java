package dev.komainu.central.access;

/**
 * A user at an OpenID provider. Issuer and subject identify the user; the name is for people.
 *
 * @param issuer the provider's issuer identifier
 * @param subject the user's id there
 */
public record ExternalIdentity(String issuer, String subject, String name) {

    /** Pattern of the name of an external user. */
    public static final String NAME = "^[a-z0-9][a-z0-9._@+-]{0,63}$";

    private static final int MOST_SUBJECT_CHARS = 255;

    /** Reports whether a user with this identity can be stored. */
    public boolean isUsable() {
        return name.matches(NAME) && !subject.isBlank() && subject.length() <= MOST_SUBJECT_CHARS;
    }
}
