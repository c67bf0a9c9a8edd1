/**
 * The limits of what callers can make the service hold: bytes, time, connections, requests.
 *
 * <p>In: the attempt to hold something. Out: permission, or a refusal with its reason. Any thread.
 * All numbers are in {@link dev.komainu.central.limit.RequestLimit}, which is also the table of
 * docs/security.md.
 */
@NullMarked
package dev.komainu.central.limit;

import org.jspecify.annotations.NullMarked;
