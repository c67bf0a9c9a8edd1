/**
 * Groups of services by labels: sums, merged distributions, and the member of a group of mirrors
 * that differs from the others. In: assessments and the live windows. Out: figures of a group at
 * one instant, and findings with evidence. The assessment's thread judges mirrors; everything else
 * is computed at a request. Start at {@link dev.komainu.central.group.GroupBoard}.
 */
@org.jspecify.annotations.NullMarked
package dev.komainu.central.group;
