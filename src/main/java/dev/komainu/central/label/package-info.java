/**
 * Labels of services: who gives them, which of several values counts, and which services a selector
 * means. In: the profiles of the fleet, rules and labels set by hand. Out: one immutable set of
 * labels for each service, read by assessment, groups, alerts and access. Start at
 * {@link dev.komainu.central.label.LabelBook}.
 */
@org.jspecify.annotations.NullMarked
package dev.komainu.central.label;
