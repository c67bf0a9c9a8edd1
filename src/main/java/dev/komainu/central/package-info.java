/**
 * The central service. Batches of records come in, assessments and advice go out.
 *
 * <p>Data climbs from {@code ingest} to the {@code store}, where it rests; on each tick the
 * assessment pulls it through {@code indices}, {@code state}, {@code diagnosis} and {@code advice};
 * {@code api} reads what was published. Imports only descend; the floor plan is a test. This
 * package is the roof: it wires the rooms together and knows their settings, and nobody imports it.
 *
 * <p>Start at {@link dev.komainu.central.CentralApplication}.
 *
 * <p>Decisions: docs/decisions/0001-src-is-a-module.md, docs/decisions/0010-what-it-stands-on.md
 */
@NullMarked
package dev.komainu.central;

import org.jspecify.annotations.NullMarked;
