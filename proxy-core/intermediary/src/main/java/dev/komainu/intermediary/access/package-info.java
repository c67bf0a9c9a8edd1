/**
 * Addresses as they are allowed and denied. In: addresses and blocks of them (CIDR). Out: yes or
 * no. Pure, but for the list of own listeners, which is replaced whole. Start at
 * {@link dev.komainu.intermediary.access.AccessList}.
 */
@NullMarked
package dev.komainu.intermediary.access;

import org.jspecify.annotations.NullMarked;
