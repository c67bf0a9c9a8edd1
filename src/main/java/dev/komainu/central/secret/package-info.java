/**
 * The encryption of secrets at rest. In: texts, and the places in the database that they belong to.
 * Out: encrypted texts that only this service's keys open. Thread: any. Start at
 * {@link dev.komainu.central.secret.SecretCipher}.
 */
@NullMarked
package dev.komainu.central.secret;

import org.jspecify.annotations.NullMarked;
