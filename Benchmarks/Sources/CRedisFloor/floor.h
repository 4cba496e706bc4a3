// What Redis and hiredis take without Pigeon, in nanoseconds. -1 if something failed.
#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static inline double floor_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// One GET, of those that are sent together.
static inline double floor_get(int port, const unsigned char *bytes, size_t length, int count, int together) {
    redisContext *context = redisConnect("127.0.0.1", port);
    if (context == NULL || context->err) return -1;
    redisReply *reply = (redisReply *)redisCommand(context, "SET floor %b", bytes, length);
    if (reply == NULL || reply->type != REDIS_REPLY_STATUS) { freeReplyObject(reply); redisFree(context); return -1; }
    count -= count % together;
    double start = floor_now(), end = -1;
    for (int done = 0; reply != NULL && done < count; done += together) {
        freeReplyObject(reply);
        for (int each = 0; each < together; each++) redisAppendCommand(context, "GET floor");
        for (int each = 0; each < together; each++) {
            if (each) freeReplyObject(reply);
            if (redisGetReply(context, (void **)&reply) != REDIS_OK) { redisFree(context); return -1; }
        }
        if (reply->type != REDIS_REPLY_STRING || reply->len != length) { freeReplyObject(reply); redisFree(context); return -1; }
    }
    end = floor_now();
    freeReplyObject(reply);
    redisFree(context);
    return (end - start) / count;
}

// An entry of a log, until all who wait for it, each over its own connection, have received it.
static inline double floor_followers(int port, int count) {
    redisContext *writer = redisConnect("127.0.0.1", port), **followers = calloc((size_t)count, sizeof(*followers));
    int well = writer != NULL && !writer->err && followers != NULL, done = 0;
    for (int each = 0; well && each < count; each++) {
        followers[each] = redisConnect("127.0.0.1", port);
        well = followers[each] != NULL && !followers[each]->err;
        if (well) redisAppendCommand(followers[each], "XREAD BLOCK 0 STREAMS floor.log $");
        for (done = 0; well && !done;) well = redisBufferWrite(followers[each], &done) == REDIS_OK;
    }
    usleep(200000);
    double start = floor_now();
    if (well) freeReplyObject(redisCommand(writer, "XADD floor.log * epoch 0123456789abcdef change key/articles/some-key-of-usual-length"));
    for (int each = 0; well && each < count; each++) {
        redisReply *reply = NULL;
        well = redisGetReply(followers[each], (void **)&reply) == REDIS_OK && reply->type == REDIS_REPLY_ARRAY;
        freeReplyObject(reply);
    }
    double end = floor_now();
    for (int each = 0; followers != NULL && each < count; each++) if (followers[each]) redisFree(followers[each]);
    free(followers);
    if (writer) redisFree(writer);
    return well ? end - start : -1;
}
