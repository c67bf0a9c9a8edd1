/**
 * Recorded changes of watched services: content, time, author, values before and after.
 *
 * <p>In: the report of a user or a program that a change was made. Out: a row that is never
 * altered, and a call of the listeners (the stream marks every chart with it). Any thread.
 *
 * <p>Start at {@link dev.komainu.central.change.Changes}.
 */
@NullMarked
package dev.komainu.central.change;

import org.jspecify.annotations.NullMarked;
