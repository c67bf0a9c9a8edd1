/**
 * Permitted and denied addresses. In: addresses and blocks of them (CIDR). Out: permitted or
 * denied. Pure, except for the exceptions and own listeners, which are replaced as a whole. Start
 * at {@link dev.komainu.intermediary.access.AccessList}.
 */
@NullMarked
package dev.komainu.intermediary.access;

import org.jspecify.annotations.NullMarked;
