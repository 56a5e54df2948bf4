// A small shop on Cosmos DB for MongoDB: one collection, one index, and patience.
import { setTimeout as sleep } from 'node:timers/promises';

const TOO_MANY_REQUESTS = 16500;
const ATTEMPTS_MAX = 5;

export class Shop {
  #orders;
  #attemptsMax;

  constructor(database, { attemptsMax = ATTEMPTS_MAX } = {}) {
    this.#orders = database.collection('orders');
    this.#attemptsMax = attemptsMax;
  }

  async open({ hasIndex = true } = {}) {
    if (hasIndex) {
      await this.#orders.createIndex({ customer: 1 });
    }
  }

  place(order) {
    return this.#patiently(() => this.#orders.insertOne(order));
  }

  ordersOf(customer) {
    return this.#patiently(() => this.#orders.find({ customer }).toArray());
  }

  /** Tries again what was refused for want of request units, when the server says. */
  async #patiently(request) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await request();
      } catch (error) {
        if (error.code !== TOO_MANY_REQUESTS || attempt === this.#attemptsMax) {
          throw error;
        }
        await sleep(Number(/RetryAfterMs=(\d+)/.exec(error.message)?.[1] ?? 100));
      }
    }
  }
}
