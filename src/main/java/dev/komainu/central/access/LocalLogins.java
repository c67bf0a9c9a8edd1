package dev.komainu.central.access;

/**
 * The rule which local users may log in with a password. With {@code administratorsOnly} the others
 * are refused as with a wrong password.
 */
public record LocalLogins(boolean administratorsOnly) {

    boolean admit(User user) {
        return !administratorsOnly || user.role() == Role.ADMINISTRATOR;
    }
}
