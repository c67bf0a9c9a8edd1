package dev.komainu.central.access;

/** The rule for the second factor of users who log in with a password. */
public enum SecondFactorMode {
    /** Users decide. */
    OPTIONAL,
    /** A user without one can do nothing but set it up. */
    REQUIRED
}
