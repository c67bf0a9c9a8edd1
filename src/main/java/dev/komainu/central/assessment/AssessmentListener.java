package dev.komainu.central.assessment;

/** Told of each new assessment, on the assessment's thread: must return at once and never throw. */
@FunctionalInterface
public interface AssessmentListener {

    void assessed(Assessment assessment);
}
