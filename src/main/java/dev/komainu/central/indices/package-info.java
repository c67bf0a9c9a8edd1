/**
 * Indices: all figures that the platform shows or uses for judgements.
 *
 * <p>In: one-second windows of packets and of Komainu's proxy, host samples. Out: named
 * measurements over a window ({@link dev.komainu.central.indices.MeasurementView}) and columns over
 * time. Ingest threads write, the assessment's thread and request threads read; each ring has its
 * own lock. The meaning of an index is data, in {@code indices/catalogue.yaml}; its formula is in
 * {@link dev.komainu.central.indices.Formulas}. A missing second is {@code NaN} in the code and
 * {@code null} in the API, never zero.
 *
 * <p>Start at {@link dev.komainu.central.indices.LiveIndices}.
 *
 * <p>Decision: docs/decisions/0049-waits-by-littles-law.md
 */
@NullMarked
package dev.komainu.central.indices;

import org.jspecify.annotations.NullMarked;
