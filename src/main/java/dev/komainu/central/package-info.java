/**
 * The central service. It receives batches of records and produces assessments and advice.
 *
 * <p>Data flows from {@code ingest} to the {@code store}. On each tick the assessment passes it
 * through {@code indices}, {@code state}, {@code diagnosis} and {@code advice}; {@code api} reads
 * the published results. Imports only descend; a test checks the floor plan. This package is the
 * top: it wires the packages together and reads their settings. No package imports it.
 *
 * <p>Start at {@link dev.komainu.central.CentralApplication}.
 *
 * <p>Decisions: docs/decisions/0001-src-is-a-module.md, docs/decisions/0010-what-it-stands-on.md
 */
@NullMarked
package dev.komainu.central;

import org.jspecify.annotations.NullMarked;
