/**
 * What the API shows of an assessment, field by field as the contract names it. Used by controllers and by the stream,
 * so that both tell the same.
 */
@NullMarked
package dev.komainu.central.api.view;

import org.jspecify.annotations.NullMarked;
