/** Incidents of the REST API: those that last, those that ended, and the course of one. */
@NullMarked
package dev.komainu.central.api.incident;

import org.jspecify.annotations.NullMarked;
