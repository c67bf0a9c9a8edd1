package dev.komainu.intermediary.purge;

/**
 * The proof that an order is from the member that it names, with the rights of that member. It is
 * forwarded with the order; only code that understands grants reads it.
 *
 * @param grant of the issuer, as text
 * @param signature over the order's line ({@link PurgeMessages#line}) by the grant's key, in base64
 */
public record PurgeProof(String grant, String signature) {}
