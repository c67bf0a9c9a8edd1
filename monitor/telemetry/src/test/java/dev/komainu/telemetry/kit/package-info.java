/**
 * Requirements of all modules' tests on the machine: privileges, programs. Golden files, and a
 * central service at which parts enrol.
 */
package dev.komainu.telemetry.kit;
