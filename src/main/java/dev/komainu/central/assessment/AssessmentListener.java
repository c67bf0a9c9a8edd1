package dev.komainu.central.assessment;

/**
 * A listener for new assessments, called on the assessment's thread: must return at once and never
 * throw.
 */
@FunctionalInterface
public interface AssessmentListener {

    void assessed(Assessment assessment);
}
