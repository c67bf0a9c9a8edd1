package dev.komainu.telemetry.record;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A group of components of a wire record that belong together. A group exists in Java only: its
 * components are fields of the message of the enclosing record, in both forms, so a group can be
 * formed or dissolved without a change of the format.
 *
 * <p>The generator of the codecs reads this annotation. A component of a group's type must not be
 * nullable, and no name may stand twice in a record with its groups.
 *
 * <p>Decision: docs/decisions/0100-groups-in-records.md
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface FieldGroup {}
