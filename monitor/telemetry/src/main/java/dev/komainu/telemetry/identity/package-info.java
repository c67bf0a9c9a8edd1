/**
 * The identity of a part (agent, probe, proxy or organizer): its key, its certificate, and the
 * authorities by which it trusts the central service.
 *
 * <p>In: an enrolment code, once. Out: TLS with the part's certificate, for the calls to the
 * central service and for servers of the part. The files are in {@code DATA/identity}.
 *
 * <pre>
 *  EnrolmentCode → Enrolment (POST /api/v1/enrolments) → IdentityFiles
 *                                                            ↓
 *                  IdentityRenewal (POST /api/v1/parts/renewal) ↔ PartIdentity → CentralTls → calls
 * </pre>
 *
 * <p>Parts that speak to each other ({@code RenewingKeyManager}) refuse those that the central
 * service has revoked ({@code RevokedParts}); it tells them in its responses to reports.
 *
 * <p>One thread, {@code komainu-identity}, enrols when the first attempt could not reach the
 * central service, and renews the certificate at two thirds of its life. All other methods may be
 * called from any thread. Start at {@link dev.komainu.telemetry.identity.PartIdentity}.
 *
 * <p>Decision: docs/decisions/0112-authority-of-the-installation.md
 */
@NullMarked
package dev.komainu.telemetry.identity;

import org.jspecify.annotations.NullMarked;
