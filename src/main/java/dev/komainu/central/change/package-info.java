/**
 * Changes that were carried out on watched services: what, when, by whom, before and after.
 *
 * <p>In: a person's or machine's word that something was done. Out: a row that is never altered,
 * told to listeners (the stream marks every chart with it). Any thread.
 *
 * <p>Start at {@link dev.komainu.central.change.Changes}.
 */
@NullMarked
package dev.komainu.central.change;

import org.jspecify.annotations.NullMarked;
