/**
 * Advice: from a leaf of the flowchart to an exact change, with its derivation and the way to undo
 * it.
 *
 * <p>In: leaves reached, the server's settings, its measurements. Out: advice that is not followed
 * yet, each with commands for this very server. The catalogue is data, one YAML file per kind of
 * server in {@code advice/}. Pure functions; any thread.
 *
 * <p>Start at {@link dev.komainu.central.advice.AdviceCatalogue}.
 *
 * <p>Decision: docs/decisions/0098-formulas-of-the-advice-book.md
 */
@NullMarked
package dev.komainu.central.advice;

import org.jspecify.annotations.NullMarked;
