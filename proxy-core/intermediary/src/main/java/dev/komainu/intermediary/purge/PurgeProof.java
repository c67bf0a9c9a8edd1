package dev.komainu.intermediary.purge;

/**
 * What shows that an order is of whom it names, and what that one may order. Passed on with the
 * order; read by who knows grants.
 *
 * @param grant the giver's, as text
 * @param signature over the order's line ({@link PurgeMessages#line}) by the grant's key, in base64
 */
public record PurgeProof(String grant, String signature) {}
