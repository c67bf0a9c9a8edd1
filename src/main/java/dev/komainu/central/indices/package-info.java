/**
 * Indices: every figure the platform shows or judges by.
 *
 * <p>In: one-second windows of packets and of our proxy, host samples. Out: named measurements over
 * a window ({@link dev.komainu.central.indices.MeasurementView}) and columns over time. Ingest
 * threads write, the assessment's thread and request threads read; each ring guards itself. What an
 * index means is data, in {@code indices/catalogue.yaml}; how it is computed stands in
 * {@link dev.komainu.central.indices.Formulas}. A missing second is {@code NaN} inside and
 * {@code null} outside, never zero.
 *
 * <p>Start at {@link dev.komainu.central.indices.LiveIndices}.
 *
 * <p>Decision: docs/decisions/0049-waits-by-littles-law.md
 */
@NullMarked
package dev.komainu.central.indices;

import org.jspecify.annotations.NullMarked;
