// The requests of all connections: which may be sent next, what each asks for, and its end.

#ifndef REQUESTS_H
#define REQUESTS_H

#include "line.h"

extern Line *lines;

void requestsPrepare(void);
Request *nextRequest(void); // NULL when there is none
int anyFree(void);
const char *nextPath(void);
void understandField(Request *request, const char *name, size_t nameLength, const char *value, size_t valueLength);
void done(Request *request);
void broke(Line *line);
void hangUp(Line *line);

#endif
