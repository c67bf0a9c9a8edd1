// What is counted.

#ifndef COUNTS_H
#define COUNTS_H

#include "line.h"

void countAnswer(Request *request, long long at);
void countFailure(Request *request, long long at);
void countsBegin(long long at);
void countsSample(long long at);
long countsEnd(long long at, int aborted); // prints them; returns the number of answers

extern long answered, failures, wrongStatus, wrongLength, bytes;

#endif
